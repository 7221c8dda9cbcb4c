package fault

// completionRows are the conditions of the gateway's AI interface.
var completionRows = []Row{}
