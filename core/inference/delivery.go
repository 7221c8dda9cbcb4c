package inference

// Delivery is what an answer that had begun delivered, by the count of the gateway that read it.
type Delivery struct {
	// How is how the answer ended.
	How Ending
	// Units were delivered if not all were, such as the tokens of a stream. Units of a faulty
	// answer are no work: they distinguish one that broke off from one without content.
	Units Units
}

// Ending is how an answer ended for the gateway that read it.
type Ending int

// The endings.
const (
	// Unrated: its reader reports nothing.
	Unrated Ending = iota
	// Complete: everything arrived in the form of its pipeline.
	Complete
	// Partial: it ended properly with less than was paid for.
	Partial
	// Faulty: it broke off, or cannot be used.
	Faulty
	// Refused: the model server refused the request, or an orchestrator reports that. It has no content,
	// and clients can cause it.
	Refused
	// ClientLeft: the client left, or this gateway could not use more of it.
	ClientLeft
)
