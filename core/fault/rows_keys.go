package fault

// keysRows are the conditions of API keys.
var keysRows = []Row{}
