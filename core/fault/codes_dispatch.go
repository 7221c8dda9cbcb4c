package fault

// Codes of a gateway's choice of orchestrators for AI.
const ()
