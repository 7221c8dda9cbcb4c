package fault

// gatewayRows are the conditions declared in codes_gateway.go.
var gatewayRows = []Row{}
