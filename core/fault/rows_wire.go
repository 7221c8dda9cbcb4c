package fault

// wireRows are the conditions declared in codes_wire.go.
var wireRows = []Row{}
