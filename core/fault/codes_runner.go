package fault

// Codes of AI runners and the servers behind url.
const ()
