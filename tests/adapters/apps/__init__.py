"""One API, spelled in each framework; see `sezzlee_py.testing.contract_api`."""
