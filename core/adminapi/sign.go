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

// Signature is a signature and its signer.
type Signature struct {
	// Signature is r, s and v as 0x and 130 hexadecimal digits; v, the last byte, is 27 or 28.
	Signature string `json:"signature"`
	// Address is the signer's account.
	Address core.Address `json:"address"`
}
