package adminapi

// ModelPullLine is a line of what is answered while a model is pulled. Progress is on
// every line but the last, which has Result, or Error where the pull failed. A pull that
// fails before there is any progress is answered as every other error.
type ModelPullLine struct {
	Progress *ModelPullProgress `json:"progress,omitempty"`
	Result   *ModelPull         `json:"result,omitempty"`
	Error    *Error             `json:"error,omitempty"`
}

// ModelPullProgress is how far the pull of one part of a model is.
type ModelPullProgress struct {
	// Kind and Name are the part's, as in ModelPart.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// DoneBytes of TotalBytes have arrived, of what is known so far; 0 while nothing is.
	DoneBytes  int64 `json:"doneBytes"`
	TotalBytes int64 `json:"totalBytes"`
	// LayersReady of Layers of an image are unpacked.
	LayersReady int `json:"layersReady"`
	Layers      int `json:"layers"`
}

// ModelPull is what a model needs before its first job, and what became of it.
type ModelPull struct {
	Pipeline string      `json:"pipeline"`
	Model    string      `json:"model"`
	Parts    []ModelPart `json:"parts"`
}

// ModelPart is something that a model needs before its first job.
type ModelPart struct {
	// Kind is "image" for that of its containers, "weights" for the model itself.
	Kind string `json:"kind"`
	// Name is the image's, or the name of the model at its server.
	Name string `json:"name"`
	// Digest is by which the image's registry knows it, empty where that is not known.
	Digest string `json:"digest"`
	// State is "present" for what was there before, "pulled", "missing" in a dry run, or
	// "manual" for weights that the node can neither fetch nor look for.
	State string `json:"state"`
	// ToDo says what is left to do, empty for nothing.
	ToDo string `json:"note"`
}
