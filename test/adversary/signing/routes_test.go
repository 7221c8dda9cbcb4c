package signing

import (
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// With -enableCliTxRoutes the existing node's tools need no token on this machine. What
// changes something still needs POST: a link, an image or a prefetch of a page is a GET,
// and so is what a scanner follows.
func TestLinksMoveNothing(t *testing.T) {
	t.Parallel()
	v := newVictim(t, "-enableCliTxRoutes")
	get := func(method, path string) int {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+v.admin+path, nil)
		v.must(err)
		resp, err := harness.Client().Do(r)
		v.must(err)
		defer resp.Body.Close()
		return resp.StatusCode
	}
	before := v.locked()
	for _, path := range []string{"/fundDeposit?amount=1000000000000000",
		"/fundDepositAndReserve?depositAmount=1&reserveAmount=1", "/unlock", "/cancelUnlock",
		"/withdraw", "/bond?amount=1&toAddr=" + v.account().String(), "/unbond?amount=1", "/rebond?unbondingLockId=0",
		"/withdrawStake?unbondingLockId=0",
		"/withdrawFees?amount=1", "/claimEarnings", "/reward", "/initializeRound", "/requestTokens",
		"/transferTokens?amount=1&to=" + v.ticket(1).Recipient.String(), "/signMessage?message=hello",
		"/vote?choiceID=0&poll=" + v.account().String(), "/voteOnProposal?proposalID=1&support=1",
		"/activateOrchestrator?blockRewardCut=1&feeShare=1&pricePerUnit=1&pixelsPerUnit=1&serviceURI=https://127.0.0.1:1",
		"/setOrchestratorConfig?pricePerUnit=1&pixelsPerUnit=1", "/setMaxGasPrice?maxGasPrice=1",
		"/setMinGasPrice?minGasPrice=1",
		"/setLogLevel?loglevel=1", "/setMaxSessions?maxSessions=1", "/setMaxFaceValue?maxfacevalue=1",
		"/setPriceForBroadcaster?pricePerUnit=1&pixelsPerUnit=1&broadcasterEthAddr=default"} {
		for _, method := range []string{"GET", "HEAD"} {
			if status := get(method, path); status != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, path, status)
			}
		}
	}
	if now := v.locked(); now.Cmp(before) != 0 {
		t.Errorf("the ticket broker had %v for the account and has %v", before, now)
	}
	if status := get("GET", "/currentRound"); status != http.StatusOK {
		t.Error("a read by GET:", status)
	}
	if status := get("POST", "/fundDeposit?amount=1000000000000000"); status != http.StatusOK ||
		v.locked().Cmp(before) <= 0 {
		t.Error("a change by POST:", status)
	}
	more := new(big.Int).Sub(v.locked(), before)
	if more.Cmp(big.NewInt(1e15)) != 0 || strings.Contains(v.node.Log(), "Unexpected") {
		t.Errorf("the deposit grew by %v wei", more)
	}
}
