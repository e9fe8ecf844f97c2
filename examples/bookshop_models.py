"""What the bookshop takes and gives, the same for every framework's example."""

from pydantic import BaseModel, Field


class Book(BaseModel):
    id: int
    title: str
    author: str
    genre: str
    price: float
    stock: int


class BookPage(BaseModel):
    items: list[Book]
    total: int


class NewOrder(BaseModel):
    book_id: int = Field(description="The book to buy.")
    quantity: int = Field(default=1, ge=1, le=10, description="How many copies.")


class Order(BaseModel):
    id: int
    customer: str
    book_id: int
    quantity: int
    status: str
