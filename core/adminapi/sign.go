package adminapi

import (
	"encoding/json"

	"github.com/tuttinode/tutti/core"
)

// SignRequest asks for a signature over exactly one of its fields.
type SignRequest struct {
	// Message is signed as a personal message.
	Message *string `json:"message,omitempty"`
	// TypedData is an EIP-712 document.
	TypedData json.RawMessage `json:"typedData,omitempty"`
}

// Signature is 65 bytes as 0x and hexadecimal digits, the last 27 or 28, and the
// signer.
type Signature struct {
	Signature string       `json:"signature"`
	Address   core.Address `json:"address"`
}
