package fault

// mediaRows are the conditions declared in codes_media.go.
var mediaRows = []Row{}
