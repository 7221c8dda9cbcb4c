package control

// Stats are what an endpoint has been asked, and how often it misbehaved.
type Stats struct {
	// Calls counts requests by method.
	Calls map[string]uint64 `json:"calls"`
	// Faults counts what happened, by kind.
	Faults map[Kind]uint64 `json:"faults"`
}
