"""What Flask extensions tell, held against their own documents."""
