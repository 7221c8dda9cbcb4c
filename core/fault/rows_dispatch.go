package fault

// dispatchRows are the conditions of a gateway's choice of orchestrators for AI.
var dispatchRows = []Row{}
