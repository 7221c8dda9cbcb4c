package recipient

import "context"

// Sweep runs one sweep.
func (r *Recipient) Sweep() { r.sweep(context.Background()) }
