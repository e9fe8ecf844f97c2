"""Small catalogs that several tests search."""

from sezzlee_py.search import ToolDocument

SHOP = (
    ToolDocument(
        "list_orders",
        "List the orders of a customer. Newest first.",
        tags=("Orders",),
        route="/orders",
        parameters=(("customerId", "Whose orders"),),
    ),
    ToolDocument("get_order", "Get one order.", tags=("Orders",), route="/orders/{id}"),
    ToolDocument(
        "cancel_order", "Cancel an order.", tags=("Orders", "Writes"), route="/orders/{id}"
    ),
    ToolDocument("create_invoice", "Create an invoice.", tags=("Billing", "Writes")),
    ToolDocument("get_invoice_pdf", "Render an invoice as PDF.", tags=("Billing",)),
    ToolDocument("archive_customer", "Archive a customer record.", search_terms=("client",)),
    ToolDocument("ping"),
)
