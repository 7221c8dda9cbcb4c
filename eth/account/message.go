package account

import (
	"encoding/json"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
)

// SignatureLength is the size of r, s and v in bytes.
const SignatureLength = 65

// SignMessage signs a personal message (EIP-191). v is 27 or 28.
func (s *Signer) SignMessage(m signature.Message) ([]byte, error) {
	if len(m.Bytes()) == 0 {
		return nil, fault.New(fault.MessageRefused, "sign a message", "the message is empty")
	}
	return s.sign(accounts.TextHash(m.Bytes()))
}

// SignText signs an operator's text. The fault is MessageRefused for a text that could be read as
// another kind of message.
func (s *Signer) SignText(text []byte) ([]byte, error) {
	m, err := signature.TextMessage(text)
	if err != nil {
		return nil, &fault.Fault{Code: fault.MessageRefused, Op: "sign a text", Detail: err.Error(), Err: err}
	}
	return s.SignMessage(m)
}

// SignTypedData signs a typed structure (EIP-712) given as JSON. The fault is
// TypedDataInvalid for a document that is not such JSON, and MessageRefused for a structure that
// lets a contract move funds or rights.
func (s *Signer) SignTypedData(document []byte) ([]byte, error) {
	var data apitypes.TypedData
	if err := json.Unmarshal(document, &data); err != nil {
		return nil, fault.Wrap(fault.TypedDataInvalid, "sign typed data", err)
	}
	hash, _, err := apitypes.TypedDataAndHash(data)
	if err != nil {
		return nil, fault.Wrap(fault.TypedDataInvalid, "sign typed data", err)
	}
	if err := checkTypedData(&data); err != nil {
		return nil, &fault.Fault{Code: fault.MessageRefused, Op: "sign typed data", Detail: err.Error(), Err: err}
	}
	return s.sign(hash)
}

func (s *Signer) sign(hash []byte) ([]byte, error) {
	key, err := s.private()
	if err != nil {
		return nil, err
	}
	sig, err := crypto.Sign(hash, key)
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, "sign", err)
	}
	sig[SignatureLength-1] += 27
	return sig, nil
}
