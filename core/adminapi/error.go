package adminapi

// ErrorBody is every answer that is no success.
type ErrorBody struct {
	Error Error `json:"error"`
}

// Error is what went wrong, for programs (Code) and for people.
type Error struct {
	// Code is stable; docs/troubleshooting.md lists them all.
	Code string `json:"code"`
	// Message is this case's own facts.
	Message string `json:"message"`
	// Cause and Remedy are what the table of conditions says of the code.
	Cause  string `json:"cause"`
	Remedy string `json:"remedy"`
	// Retryable: the same request may succeed later.
	Retryable bool `json:"retryable"`
}
