package recipient

import "context"

// Sweep looks once for what is over.
func (r *Recipient) Sweep() { r.sweep(context.Background()) }
