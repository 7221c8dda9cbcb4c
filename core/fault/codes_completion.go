package fault

// Codes of the gateway's AI interface.
const ()
