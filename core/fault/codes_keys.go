package fault

// Codes of API keys.
const ()
