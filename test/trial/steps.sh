# What the operator does and breaks. Sourced by trial.sh, whose words these are.
# shellcheck shell=bash disable=SC2154

step_install() {
	check "dpkg installs it" machine 'dpkg -i /opt/tutti.deb && ! systemctl is-active -q tutti'
	check "status says what a service without a role lacks" eval \
		"machine 'systemctl start tutti; systemctl status tutti; true' | grep NoRole >/dev/null"
	nsenter -t "$(first)" -n "$devnet" -initializeRounds -roundLength 1000 -ready "$work/ready" >"$work/chain.log" 2>&1 &
	pids+=("$!")
	check "the chain is there" within test -e "$work/ready"
}

step_begin() {
	check "tutti init" machine \
		'tutti init --yes --role orchestrator --network devnet --ethUrl http://127.0.0.1:8545 \
			--serviceAddr 127.0.0.1:8935 --ethPassword "four words are a start" --gpu cpu --publicIPLookup none'
	machine 'cp -p /etc/tutti/tutti.conf ~/good.conf'
	check "systemctl start" machine 'systemctl enable --now tutti && systemctl is-active tutti'
	account=$(node /api/v1/node | grep -o '0x[0-9a-fA-F]\{40\}' | head -1)
	check "doctor before there is money: GasMoneyMissing" doctor GasMoneyMissing 2
	chain fund "$account" 1ETH
	chain fundLPT "$account" 1000LPT
	check "registration" machine \
		'tutti_cli orchestrator activate --reward-cut 10 --fee-cut 95 --stake 10 --service-uri https://127.0.0.1:8935 --yes'
	chain nextRound true
	check "rewarded" within eval "machine 'tutti_cli reward status' | grep done >/dev/null"
	check "the dashboard is served" eval "node / | grep '<title>' >/dev/null"
	check "doctor finds nothing broken" eval "machine 'tutti doctor'; test \$? -le 1"
	check "explain, bundle, status" machine 'cd /root && tutti doctor explain && tutti doctor bundle && tutti_cli status'
	check "drain and back" machine 'tutti_cli drain --yes && tutti_cli drain --cancel --yes'
	check "reload" machine 'systemctl reload tutti && tutti_cli reload --dry-run'
	check "the same package again, unasked" machine 'dpkg -i /opt/tutti.deb'
	check "the service's keys without being told where" machine \
		'tutti_cli account list | grep /var/lib/tutti/devnet/keystore >/dev/null'
	local old
	old=$(machine 'systemctl show -p MainPID --value tutti')
	check "upgrade, and at once the next command" machine 'tutti_cli upgrade --yes && tutti_cli status'
	check "another process serves" within eval \
		"has /-/ready '' && test \"\$(machine 'systemctl show -p MainPID --value tutti')\" != $old"
	step_socket
}

# The socket unit holds the port, which is the node's all the same, and gateways that come
# while the node is restarted wait.
step_socket() {
	machine 'systemctl stop tutti; systemctl enable --now tutti.socket; systemctl start tutti'
	check "doctor: the port of the socket unit is the node's" eval \
		"! machine 'tutti doctor -json; true' | grep ListenFailed >/dev/null"
	check "no request is lost across a restart" across_restart
	machine 'systemctl stop tutti tutti.socket; systemctl disable tutti.socket; systemctl start tutti'
	check "serving" within has /-/ready ''
}

across_restart() {
	machine 'systemctl restart tutti' &
	local restart=$! status=0
	while kill -0 "$restart" 2>/dev/null; do
		outside curl -skf -m 60 https://127.0.0.1:8935/healthz -o /dev/null || { status=$?; echo "curl ends with $status"; }
	done
	wait "$restart"
	return "$status"
}

step_chain_down() {
	chain misbehave 0 '{"kind":"stop"}'
	named ChainUnavailable 2
	chain misbehave 0
	check "and it goes again" within eval '! has /metrics ChainUnavailable'
}

step_address() {
	configure 's/^serviceAddr.*/serviceAddr 127.0.0.1:8936/'
	named ServiceAddrMismatch 2
}

step_gas() {
	configure ''
	check "serving" within has /-/ready ''
	chain nextRound false
	chain setBaseFee '"1000000000000000"'
	chain setBaseFee '"10000000"'
	chain nextRound true
	chain setBaseFee '"1000000000000000"'
	named GasMoneyMissing 2
	chain setBaseFee '"10000000"'
}

step_devices() {
	configure 's/^#gpu all/gpu all/'
	named NoDevices 2
}

step_models() {
	machine 'echo "[{\"pipeline\": \"llm\",,}]" >/etc/tutti/aiModels.json'
	configure 's|^transcoder|transcoder\naiWorker\naiModels /etc/tutti/aiModels.json|'
	named ModelsFileInvalid 2
}

step_runner() {
	machine 'echo "[{\"pipeline\": \"llm\", \"model_id\": \"meta-llama/Meta-Llama-3.1-8B-Instruct\", \
\"warm\": true, \"price_per_unit\": 1, \"pixels_per_unit\": 1000000, \
\"url\": \"http://127.0.0.1:9\"}]" >/etc/tutti/aiModels.json'
	configure 's|^transcoder|transcoder\naiWorker\naiModels /etc/tutti/aiModels.json|'
	named RunnerUnreachable 2
}

# The node does not start with such a price, so that there is no page and no metric.
step_price() {
	configure 's/^pricePerUnit.*/pricePerUnit 0.5/' || true
	check "log: the price and what to write" logged 'PriceImplausible.*pricePerUnit 0.5.*write pricePerUnit'
	check "config check: PriceImplausible" eval \
		"machine 'tutti config check 2>&1; true' | grep PriceImplausible >/dev/null"
	check "no other code: BadOption" eval \
		"! machine 'tutti config check 2>&1; tutti doctor -json; true' | grep -E '\"BadOption\"|^ *BadOption' >/dev/null"
	check "doctor: PriceImplausible" doctor PriceImplausible 2
	check "help: PriceImplausible" helps PriceImplausible
}

# One session is allowed and one is pushed: a second stream is refused, and while that
# lasts every place says why.
step_capacity() {
	machine 'cp ~/good.conf ~/off.conf; sed -i "s/^network.*/network offchain/; /^ethUrl/d; /^pricePerUnit/d; \
s/^#maxSessions.*/maxSessions 1/; s/^transcoder/transcoder\ngateway\norchAddr 127.0.0.1:8935/" ~/off.conf
		cp ~/off.conf /etc/tutti/tutti.conf; systemctl reset-failed tutti; systemctl restart tutti'
	check "serving" within has /-/ready ''
	check "a stream" push one 0
	check "a second one is refused" eval '! push two 0'
	named OrchestratorCapped 1
	check "in words: -maxSessions 1" has /api/v1/conditions 'all of -maxSessions 1'
	check "explain: OrchestratorCapped" eval "machine 'tutti doctor explain' | grep OrchestratorCapped >/dev/null"
	look capacity
}

# push STREAM NUMBER: one segment through the gateway's port.
push() { outside curl -sf -m 20 -H 'Accept: multipart/mixed' -H 'Content-Duration: 2000' -T "$clip" \
	"http://127.0.0.1:9935/live/$1/$2.ts" -o /dev/null; }

step_removal() {
	check "removal stops it and keeps the keys" machine \
		'dpkg -r tutti && ls /var/lib/tutti/devnet/keystore/UTC* && ls /etc/tutti/tutti.conf'
	check "a purge keeps the keys" machine \
		'dpkg -P tutti && ls /var/lib/tutti/devnet/keystore/UTC* && ! ls /etc/tutti/tutti.conf'
}
