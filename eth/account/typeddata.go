package account

import (
	"errors"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/signer/core/apitypes"
)

// Why a typed document is not signed.
var (
	errDomainOnly = errors.New("the document is its domain and nothing else")
	errContract   = errors.New("the document is for a contract, which may do something with it; " +
		"of those only ballots are signed")
	errNames        = errors.New("the document has names with signs in them that are hashed like other names")
	errMovesAnother = errors.New("the document approves, transfers or delegates something")
)

// domainType is the structure of a document's domain.
const domainType = "EIP712Domain"

// checkTypedData refuses typed documents that could give others rights on the account. A document for a
// contract names it in its domain: those are ballots of a governor or nothing. Elsewhere, as in votes and
// logins off the chain, names that mean spending are refused.
func checkTypedData(d *apitypes.TypedData) error {
	if d.PrimaryType == domainType {
		return errDomainOnly
	}
	for name, fields := range d.Types {
		if ambiguous(name) || slices.ContainsFunc(fields, func(f apitypes.Type) bool { return ambiguous(f.Name) }) {
			return errNames
		}
	}
	if d.Domain.VerifyingContract != "" || slices.ContainsFunc(d.Types[domainType], isContract) {
		if isBallot(d) {
			return nil
		}
		return errContract
	}
	for name, fields := range d.Types {
		if name != domainType && (spendingName(name) || slices.ContainsFunc(fields, spendingField)) {
			return errMovesAnother
		}
	}
	return nil
}

// ambiguous reports names that make the hashed text of one structure equal to that of another: one called
// "Agent(address spender,Pair p)Pair" with the fields of Pair is an Agent to a verifier of the signature.
func ambiguous(name string) bool { return strings.ContainsAny(name, "()[], \t\r\n") }

func isContract(f apitypes.Type) bool { return f.Name == "verifyingContract" }

// isBallot reports a vote by signature, as governors take it.
func isBallot(d *apitypes.TypedData) bool {
	fields := []string{"proposalId uint256", "support uint8", "voter address", "nonce uint256", "reason string",
		"params bytes"}
	return (d.PrimaryType == "Ballot" || d.PrimaryType == "ExtendedBallot") &&
		!slices.ContainsFunc(d.Types[d.PrimaryType], func(f apitypes.Type) bool {
			return !slices.Contains(fields,
				f.Name+" "+f.Type)
		})
}

// spendingName reports structures that contracts and exchanges take for permission to
// move something.
func spendingName(name string) bool {
	name = strings.ToLower(name)
	return name == "order" || slices.ContainsFunc([]string{
		"permit", "approv", "allowance", "transfer", "authoriz", "delegat", "withdraw", "ordercomponents",
		"safetx", "safemessage", "forwardrequest", "metatransaction", "useroperation",
	}, func(part string) bool { return strings.Contains(name, part) })
}

func spendingField(f apitypes.Type) bool {
	return slices.Contains([]string{"spender", "operator", "delegatee", "allowed", "allowance", "calldata"},
		strings.ToLower(f.Name))
}
