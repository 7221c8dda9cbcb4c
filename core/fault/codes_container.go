package fault

// Codes of runner containers and the Docker Engine.
const ()
