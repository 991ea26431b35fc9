module example.com/kontor

go 1.21
