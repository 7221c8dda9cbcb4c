package fault

// Codes of the models file.
const ()
