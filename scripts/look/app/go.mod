module example.org/parser

go 1.24
