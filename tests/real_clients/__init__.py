"""The official clients, older and newer, over real HTTP."""
