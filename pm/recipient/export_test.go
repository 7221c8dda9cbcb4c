package recipient

// Sweep looks once for what is over.
func (r *Recipient) Sweep() { r.sweep() }
