package fault

// runnerRows are the conditions of AI runners and the servers behind url.
var runnerRows = []Row{}
