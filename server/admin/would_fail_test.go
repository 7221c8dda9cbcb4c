package admin_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// No gas is paid for what changes nothing.
func TestFutileActionsAreRefused(t *testing.T) {
	t.Parallel()
	st := orchestrating(t, old)
	for _, tt := range []struct {
		verb, body string
		code       fault.Code
		says       string
	}{
		{adminapi.VerbWithdrawFees, ``, fault.FeesMissing, "there is nothing to withdraw"},
		{adminapi.VerbWithdrawFees, `{"amount":"0"}`, fault.FeesMissing, "there is nothing to withdraw"},
		{adminapi.VerbSetServiceURI, `{"uri":"https://o.example:8935"}`, fault.ActionInvalid,
			"https://o.example:8935 is registered already"},
	} {
		for _, query := range []string{"", "?dryRun=true", "?wait=submitted"} {
			rec := st.post(adminapi.ActionPath(tt.verb)+query, tt.body)
			if e := result[adminapi.ErrorBody](t, rec).Error; e.Code != string(tt.code) || e.Message != tt.says {
				t.Errorf("%s%s %s: %d %s", tt.verb, query, tt.body, rec.Code, rec.Body)
			}
		}
	}
	if got := st.form("/withdrawFees", "amount=0"); errorCode(got.Body.String()) != fault.FeesMissing {
		t.Errorf("the old way: %d %s", got.Code, got.Body)
	}
	same(t, st.chain.Sent())
	st.chain.GiveFees(account, core.NewWei(3))
	st.post(adminapi.ActionPath(adminapi.VerbWithdrawFees), ``)
	st.post(adminapi.ActionPath(adminapi.VerbSetServiceURI), `{"uri":"https://n.example:8935"}`)
	same(t, st.chain.Sent(), protocol.WithdrawFees{Recipient: account, Amount: core.NewWei(3)},
		protocol.SetServiceURI{URI: "https://n.example:8935"})
}
