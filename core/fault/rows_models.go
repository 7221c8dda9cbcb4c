package fault

// modelsRows are the conditions of the models file.
var modelsRows = []Row{}
