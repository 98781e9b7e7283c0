# What failed in the output of go test -v, of one package or of many: awk -f failures.awk FILE
#
# It prints the name of each test that failed with the last lines that it printed, how a panic, a timeout
# or a data race begins, and the packages. Parallel tests take turns in the output; "=== NAME" lines tell them apart.

BEGIN { keep = 15; head = 14; shown = 20 }

# A panic, a timeout, which names the tests that were running, or a report of the race detector.
/^(panic: |fatal error: |unexpected fault address|SIG[A-Z]+: |WARNING: DATA RACE)/ && left == 0 { heads++; left = head }
/^(ok|FAIL)[ \t]+[^ \t]/ { left = 0 }
left > 0 && heads <= 5 { begins = begins "    " $0 "\n" }
left > 0 { left-- }

/^=== (RUN|CONT|NAME|PAUSE)/ { test = $3; next }

/^ *--- (PASS|SKIP|FAIL): / {
	test = $3
	if ($2 == "FAIL:" && !((test, tested) in failed)) {
		failed[test, tested] = 1
		name[++n] = test
	}
	next
}

# The end of a package: names of tests are its own.
/^(ok|FAIL|\?)[ \t]+[^ \t]/ {
	if ($1 == "FAIL") {
		packages++
		report()
	}
	flush_package()
	next
}

/^(PASS|FAIL|exit status .*|coverage: .*)$/ { next }

{
	if ($0 ~ /^did not run: /) missing = missing $0 "\n"
	if (test != "") {
		i = ++count[test]
		line[test, i % keep] = $0
	}
}

END {
	if (n > 0 || heads > 0) { # a program that ended without saying so
		$0 = "FAIL\t(no package said that it ended)"
		report()
	}
	printf "%s", missing
}

function report(    i, j, t, from) {
	sub(/^FAIL[ \t]+/, "")
	gsub(/\t/, " ")
	print "failed: " $0
	for (i = 1; i <= n; i++) {
		t = name[i]
		print "  " t
		if (i > shown) continue
		from = count[t] > keep ? count[t] - keep + 1 : 1
		for (j = from; j <= count[t]; j++) print "    " line[t, j % keep]
	}
	if (test != "" && heads > 0) print "  the last to say something: " test
	printf "%s", begins
}

function flush_package() {
	split("", name); split("", failed); split("", count); split("", line)
	n = 0; test = ""; heads = 0; left = 0; begins = ""
	tested++
}
