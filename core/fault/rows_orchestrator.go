package fault

// orchestratorRows are the conditions declared in codes_orchestrator.go.
var orchestratorRows = []Row{}
