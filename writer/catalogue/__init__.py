"""Which models there are, and which of them fit this machine: values, a table, arithmetic. Pure but for that table."""
