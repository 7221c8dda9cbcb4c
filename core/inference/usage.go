package inference

// Usage is what a job used, as the runner reported it.
type Usage struct {
	Prompt, Completion Tokens
	// Cached are the prompt tokens that the runner had computed before.
	Cached Tokens
	// Estimated says that the runner reported nothing and events were counted.
	Estimated bool
}

// Total is prompt and completion together.
func (u Usage) Total() Tokens { return u.Prompt + u.Completion }
