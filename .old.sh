go tool staticcheck ./server/gateway/byoc/ ./server/gateway/live/ ./server/gateway/upstream/ ./pm/sender/ 2>&1 | head
make -s docs; git status --short | grep -v old.sh
timeout 200 go test -timeout 150s ./test/layout ./config 2>&1 | grep -v "left in\|_test.go:[0-9]*:    *[0-9]" | head -20
