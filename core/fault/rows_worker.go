package fault

// workerRows are the conditions declared in codes_worker.go.
var workerRows = []Row{}
