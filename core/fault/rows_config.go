package fault

// configRows are the conditions declared in codes_config.go.
var configRows = []Row{}
