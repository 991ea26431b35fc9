module example.com/shop

go 1.21

require example.com/kontor v0.2.0
