package fault

// inferenceRows are the conditions of AI jobs at the orchestrator.
var inferenceRows = []Row{}
