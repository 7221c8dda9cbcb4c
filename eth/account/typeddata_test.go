package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
)

// document is a typed document of one structure, whose fields are "name type".
func document(contract bool, primary string, fields ...string) string {
	var types, values []string
	for _, f := range fields {
		name, kind, _ := strings.Cut(f, " ")
		types = append(types, fmt.Sprintf(`{"name":%q,"type":%q}`, name, kind))
		value := map[string]string{
			"address": `"0x0000000000000000000000000000000000000001"`, "string": `"x"`, "bytes": `"0x00"`,
		}[kind]
		if value == "" {
			value = `"1"`
		}
		values = append(values, fmt.Sprintf(`%q:%s`, name, value))
	}
	domainType, domain := `{"name":"name","type":"string"}`, `"name":"test"`
	if contract {
		domainType += `,{"name":"verifyingContract","type":"address"}`
		domain += `,"verifyingContract":"0x0000000000000000000000000000000000000002"`
	}
	return fmt.Sprintf(`{"types":{"EIP712Domain":[%s],%q:[%s]},"primaryType":%q,"domain":{%s},"message":{%s}}`,
		domainType, primary, strings.Join(types, ","), primary, domain, strings.Join(values, ","))
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	s := signer(t)
	for _, d := range []string{
		document(false, "Mail", "text string"),
		document(false, "Vote", "from address", "space string", "proposal string", "choice uint32"),
		document(false, "Login", "nonce uint256", "deadline uint256"),
		document(true, "Ballot", "proposalId uint256", "support uint8", "voter address", "nonce uint256"),
		document(true, "ExtendedBallot", "proposalId uint256", "support uint8", "voter address", "nonce uint256",
			"reason string", "params bytes"),
	} {
		if sig, err := s.SignTypedData([]byte(d)); err != nil || len(sig) != signature.Length {
			t.Errorf("%s: %v", d, err)
		}
	}
	for _, d := range []string{
		document(true, "Permit", "owner address", "spender address", "value uint256", "nonce uint256",
			"deadline uint256"),
		document(true, "Mail", "text string"),
		document(true, "Ballot", "proposalId uint256", "support uint8", "to address"),
		document(true, "Ballot", "proposalId address"),
		document(false, "PermitSingle", "details string"),
		document(false, "Agent", "spender address"),
		document(false, "HyperliquidTransaction:UsdTransfer", "amount string"),
		document(false, "Order", "maker address"),
		document(false, "SetOperator", "operator address"),
		document(false, "Agent(address spender,Pair p)Pair", "a uint256", "b uint256"),
		strings.ReplaceAll(document(false, "Agent", "owner address"), `"owner"`, `"owner,address spender"`),
		strings.Replace(document(false, "Mail", "text string"), `"domain":{`,
			`"domain":{"verifyingContract":"0x0000000000000000000000000000000000000002",`, 1),
	} {
		if sig, err := s.SignTypedData([]byte(d)); len(sig) != 0 {
			t.Errorf("%s was signed", d)
		} else if got := fault.CodeOf(err); got != fault.MessageRefused && got != fault.TypedDataInvalid {
			t.Errorf("%s: %v", d, err)
		}
	}
}

func TestTextsOfValue(t *testing.T) {
	t.Parallel()
	s := signer(t)
	_, err := s.SignText([]byte(strings.Repeat("x", 32)))
	code(t, err, fault.MessageRefused)
	_, err = s.SignMessage(signature.Message{})
	code(t, err, fault.MessageRefused)
}
