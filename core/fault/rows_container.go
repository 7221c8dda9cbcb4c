package fault

// containerRows are the conditions of runner containers and the Docker Engine.
var containerRows = []Row{}
