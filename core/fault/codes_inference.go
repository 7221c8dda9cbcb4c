package fault

// Codes of AI jobs at the orchestrator.
const ()
