package inference

// Delivery is what an answer that had begun brought, by the count of the gateway that read
// it.
type Delivery struct {
	// How is how the answer ended.
	How Ending
	// Units came of it where not all did, such as the tokens of a stream. Of a faulty answer
	// they are no work: they tell one that broke off from one with nothing in it.
	Units Units
}

// Ending is how an answer ended for the gateway that read it.
type Ending int

// The endings.
const (
	// Unrated: its reader says nothing of it.
	Unrated Ending = iota
	// Whole: it was all there and of the form that its pipeline answers in.
	Whole
	// Short: it was all there and less than was paid for.
	Short
	// Faulty: it broke off, or cannot be used.
	Faulty
	// Refused: the model server refused the request, or an orchestrator says so: there is
	// nothing of use in it, and clients can bring that about.
	Refused
	// Left: the client left, or this gateway could not use more of it.
	Left
)
