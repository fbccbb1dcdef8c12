package rules

import (
	"strings"
	"testing"
)

// A rule for a program, or for its first words, is none for what its table does not have: options in any spelling, first words that are
// not known, behind options too, and all that comes after them (behaviour 830).
func TestOptionsThatRun(t *testing.T) {
	for _, command := range []string{
		"git grep | -Ovi x", "git grep | -nOvi x", "git grep | -LOvi x", "git grep | -O./x x", "git | format-patch -k", "npm | -Cx test",
		"ctest | -S x", "ctest | --build-and-test x", "clang-tidy | -load=x y", "diff3 | --diff-program=x a b c", "sdiff | -ox a b", "gradle | -Ix test",
		"mvn | -fx test", "rake | -rx", "rspec | -rx", "rspec | -I x", "pylint | --init-hook=x", "pylint | --load-plug x", "mypy | --python-executable=x",
		"jest | --config=x", "mocha | -r x", "vitest | --config x", "phpunit | --bootstrap x", "protoc | --plugin=x", "rustc | -Clinker=x", "shuf | -o x",
		"patch | -ox", "iconv | -ox", "tsc | --outDir x", "luacheck | --formatter x", "golangci-lint run | -cx", "helm template | --post-renderer x",
		"bundle | exec x", "poetry | run x", "coverage | run x", "gh | alias set x", "gh | extension install x", "ssh-keygen | -Dx",
		"ldd | x", "sqlite3 | x .shell", "go test | -test.cpuprofile=x", "terraform | -chdir=x plan", "nm | --plugin=x y", "mix | run x",
		"npm test | -script-shell=x", "npm test | -script-she=x", "npm test | -node-options=x", "npm test | -prefix=x", "npm test | --script-shell x",
		"go test | -blockprofile=x .", "go test | -mutexprofile=x", "go test | -debug-trace=x", "go test | --o=x", "go test | --C=x", "go vet | -fix",
		"go build | --ldflags=-linkmode=external ./...", "go build | --overlay=x", "go test | --test.cpuprofile x", "go doc | -http",
		"npm | --loglevel silent exec -c x", "npm | exe -c x", "npm | add x", "npm | it", "npm | rum x", "npm | pkg set x", "npm | c set x", "npm | innit x",
		"docker | --context x run y", "docker | -l debug run y", "docker | container run x", "docker container | run x", "docker | create x",
		"docker image | build x", "kubectl | -n default exec pod", "kubectl | -n x cp a b", "kubectl config | set-credentials u", "pnpm | --filter web exec sh",
		"pnpm | -F w exec", "yarn | workspace w exec sh", "helm | -n x plugin install", "gh | -R x alias set", "gh release | download", "gh config | set pager x",
		"cargo | --color always run", "cargo | +nightly run", "cargo | r", "pip | --cache-dir x install evil", "uv | run sh", "uv | tool run", "uv | pip install x",
		"poetry run | sh -c x", "uv run | x", "bundle exec | x", "docker run | x", "docker exec | x", "go run | evil.com/x@latest", "npm exec | x", "hatch | env run x",
		"git | remote-ext origin x", "git | merge-index x -a", "git | submodule--helper foreach x", "git | difftool--helper", "git merge | -s x",
		"git | credential-store --file=x", "git | checkout-index --prefix=x", "git apply | --unsafe-paths", "git | interpret-trailers --in-place x",
		"git fetch | ext::x", "git remote show | ext::x", "git ls-remote | -u x y", "git config | core.pager x", "git -c | x=y log",
		"jest | --global-setup=x", "jest | --testSequencer=x", "vitest | --coverage.customProviderModule=x", "mocha | -u x", "jest | --outputFile=x",
		"terraform | plan -out=x", "terraform | --chdir=x plan", "gcc | -Wl,-plugin,x y", "gcc | -Xlinker x", "gcc | --output=x y", "gcc | -MF x y", "gcc | @x", "gcc | -fplugin=x",
		"openssl | rand --out x 5", "ip | net exec x y", "ip | -n x netns", "pytest | --junitxml=x", "pytest | @x", "tsc | --OUTDIR x", "tsc | -outFile x y",
		"eslint | --cache-location=x", "golangci-lint run | --out.text.path=x", "mypy | @x", "mypy | --html-report x", "ruff check | -o x", "pylint | --output-format=x",
		"curl | --expand-output x", "curl | --ssl-sessions x", "uniq | - x", "xxd | -r -p - x", "uniq | -- x y", "apt-get | update --option=x", "nmap | -script x",
		"yq | -s x", "rg | --hostname-bin x", "fd | -gx y", "sort | --output=x", "find | . -fprintf x y", "mvn | evil:plugin:1:run", "awk | -F: \"$x\"",
		"sed | \" $x\" f", "awk | \" $x\"", "make | X=y", "dotnet | build /logger:x",
		"gcc | -I @x -c y.c", "gcc | -D \"@$x\" -c y.c", "gcc | -c y.c -L @x", "rustdoc | --edition @x y.rs", "rustc | --explain @x", "mypy | -p @x", "mypy | --package @x", "pytest | -k @x", "pytest | -m @x",
		"pylint | --disable @x y", "clang | -- @x", "tsc | -t @x", "tsc | --target @x", "flake8 | --select @x", "go test | -run @x @y", "gcc | -- -o x y.c",
		"docker compose | -f ps up", "docker | compose -f ps up", "docker image | -f ls build .", "docker | image -q ls rm", "kubectl auth | -f can-i reconcile", "kubectl rollout | -f status restart x",
		"gh pr | -c view close 5", "gh | issue -c view close 5", "git remote | -v show update", "git stash | -q list drop", "git bisect | -q log run x", "git notes | -q show add", "docker compose | --all ps up",
		"gh pr | --json view close", "kubectl config | --watch view set x", "docker compose | \"$x\" up", "git worktree | -f list remove x", "uv | pip -q list install", "pnpm | -F test exec x",
		"tar | t\"$x\"f y a", "tar | \"$x\"", "tar | tfI x y", "tar | tIf x y", "tar | tf host:x", "tar | -tf host:x", "tar | -tf-oProxyCommand=x:y", "tar | -tvfhost:x", "tar | --file=host:x -t", "tar | tf src/$x",
		"cargo clippy | -- -C linker=x", "cargo test | -- --logfile=x", "cargo test | -- -Zunstable --logfile x", "cargo bench | -- --save=x", "cargo doc | -- x --y", "cargo test | x -- \"$x\"",
		"npm test | -- --config=x", "npm test | -- -r x", "npm test | -- -u x", "npm run | build -- --globalSetup x", "pnpm test | -- --config x", "pnpm test | -r x", "pnpm test | -w x", "yarn test | -- --config x",
		"composer test | -- --bootstrap x", "just test | -- --x", "mix test | -- --x", "swift test | -- x --y", "deno task | x -- --y", "rails test | -- -r x", "npm test | -- $x", "npm test | -- --reporter x",
		"git push | ./x", "git push | /tmp/x HEAD:refs/heads/y", "git push | ../x", "git push | x", "git push | x:y", "git push | --force ./x", "git push | -f x", "git push | -- x", "git push | \"$x\"", "git push | src/$x",
		"git push | --all .", "git | push x", "git fetch | ./x", "git fetch | --depth 1 ./x", "git pull | ./x main", "git ls-remote | ./x", "git push | file:///x", "git push | ssh://x/y", "git | remote add origin ./x",
		"git | remote rename x origin", "git fetch | --multiple x y", "git fetch | -j 4 ./x", "git pull | --depth=1 x",
		"tree | -Lo 1 x", "tree | -aLo 1 x", "tree | -Po x y", "jest | -tc x", "jest | -itc x", "mocha | -gr x", "mocha | -fr x", "vitest | -tc x", "vitest run | -tr x", "tsc | -tp x", "playwright test | -gc x",
		"luacheck | -qc x", "mocha | -bgr x", "eslint | -hc x", "rake test | TEST=x", "rake | RUBYOPT=-rx", "rake | test \"$x\"", "just | x=y build", "just build | x=y", "rails test | X=y", "make | -j X=y", "make | --jobs X=y",
		"make | -l X=y", "make | -- X=y", "make | src/$x", "make | X:=y", "make | X+=y", "gmake | -s X?=y",
		"split | -b -l x y", "split | -bl x y", "split | -b 1000 x /home/y", "split | x y", "split | -- x y", "split | -l 5 - y", "split | --filter=x y", "gsplit | x y", "csplit | x y", "git reflog | expire --all", "git | reflog expire --expire=all", "git reflog | delete x",
		"git | reflog -n expire x", "Git | -c x=y log", "FIND | . -delete", "Sed | -i s/a/b/ x", "git.exe | -c x=y log", "x86_64-linux-gnu-gcc | -wrapper x", "arm-none-eabi-gcc | @x", "aarch64-linux-gnu-g++-12 | -fplugin=x", "gfortran | -fplugin=x", "javac | -processor x", "webpack | --config x", "rename | s/a/x/e y",
		"gfind | . -exec x {} +", "gtimeout | 5 x", "genv | x", "gnice | x", "gnohup | x", "gtime | x", "gstdbuf | -o0 x", "gchroot | / x", "gsplit | --filter=x y", "gsort | -o x", "gxargs | x", "gsed | -i p x", "gawk | -f x", "gtee | x", "gdd | of=x",
		"ginstall | x y", "prove | -e x", "gotestsum | --raw-command -- x", "latexmk | -e x", "jj | --config ui.pager=x log", "sshpass | -p x y", "proxychains | x", "proxychains4 | -q x", "eatmydata | x", "sem | x", "dlv | exec x", "kcov | out x",
		"ugrep | --filter=x y", "mlr | -n put 'end{system(\"x\")}'", "arch | -x86_64 x", "clang-tidy | x.c -- -fplugin=x", "clang-tidy | x.c -- -Xclang -load", "xmllint | --shell x", "torsocks | x", "systemd-inhibit | x", "x86_64 | x", "cargo-watch | -x y",
	} {
		rule, rest, _ := strings.Cut(command, " | ")
		if v := Judge([]Rule{{Command: rule, Action: "allow"}}, Request{Kind: "execute", Cwd: "/", Command: rule + " " + rest}); v.Action != "ask" {
			t.Errorf("%s: got %s", command, v.Action)
		}
	}
	for _, command := range []string{"vim", "sqlite3 x", "psql", "ssh x"} {
		if v := Judge([]Rule{{Command: command, Action: "allow"}}, Request{Kind: "execute", Cwd: "/", Command: "echo x | " + command}); v.Action != "ask" {
			t.Errorf("%s: got %s", command, v.Action)
		}
	}
}

// What the table has needs no name of its own in a rule (behaviour 830).
func TestOptionsThatDoNot(t *testing.T) {
	for _, command := range []string{
		"git log | --oneline -20", "git diff | --stat HEAD~1", "git | stash list", "git | remote -v", "git commit | -am x", "git ls-files | -oz", "git show | HEAD:x",
		"git --no-pager | log -5", "git | --no-pager log -5", "git add | -A", "git log | -n 5 --format=%h", "git blame | -L 1,2 x", "git checkout | -b x",
		"go test | -run X ./... -v -count=1", "go test | --race ./...", "go | mod tidy", "npm test | -- --watchAll=false", "npm run | build", "npm | --silent test",
		"kubectl | -n x get pods -o yaml", "kubectl | logs deploy/app --tail=50", "docker | logs x --tail 50", "docker | compose ps", "gh | pr view 1 --json x",
		"cargo test | --workspace -- --nocapture", "rg | -n -g '!x' y src", "find | . -name x -type f -print", "pytest | tests -k 'a and b' -q", "make | -j4 test",
		"mvn | -q test", "jest | src/x.test.ts -t y", "tree | -L 2", "tar | tzf x", "sort | -k2 -n x", "curl | -s -H 'A: b' http://x", "terraform | plan",
		"sed | -n 1p \"src/$x\"", "awk | -F: '{print $1}' \"src/$x\"", "uniq | -c x", "gcc | -Wall -c x.c", "git | --version", "rustc | --version",
		"git push | origin HEAD", "git push | --force-with-lease origin main", "git fetch | upstream", "git pull | origin main", "git | reflog -5", "git | remote -v", "git diff | HEAD @{u}", "npm view | @types/node",
		"npm test | -- --coverage --watchAll=false src/x.test.ts", "npm test | -- --testNamePattern=x", "cargo test | -- --test-threads=1 x", "docker compose | ps -a", "gh pr | list --author @me",
		"tar | -tzvf x.tgz src", "tree | -L 2 -I x", "jest | -t x -i", "mocha | -g x", "split | -b 1000 x", "rake | test", "just | build", "gh pr | view -c 5", "kubectl | rollout status x -w",
	} {
		rule, rest, _ := strings.Cut(command, " | ")
		if v := Judge([]Rule{{Command: rule, Action: "allow"}}, Request{Kind: "execute", Cwd: "/", Command: rule + " " + rest}); v.Action != "allow" {
			t.Errorf("%s: got %s: %s", command, v.Action, v.Why)
		}
	}
}

// What hands its arguments to a shell, in some version, is asked about where a word has a sign of shells that no rule names
// (behaviour 967).
func TestHandedToShells(t *testing.T) {
	for _, rule := range []string{"npm test", "npm run lint", "npm run", "npm", "pnpm run lint", "pnpm test", "yarn test", "yarn run lint", "just test", "make test", "make", "gmake -s", "rake test", "composer test", "deno task x"} {
		for _, word := range []string{"'$(PWN)'", "'`PWN`'", "';PWN'", "'; rm'", "'a|PWN'", "'a&PWN'", "'>x'", "'<x'", "'('", "'a)'", `'"'`, `"'"`, "'\nPWN'", "'*'", "'a?'", "'~'", "'#'", "'{a,b}'", "'[a]'", `'\'`, "'a b'", `"src/$x"`, "$x", "x*", "'\u00a0'"} {
			for _, before := range []string{"", "-- ", "x ", "--silent ", "-s "} {
				command := rule + " " + before + word
				if v := Judge([]Rule{{Command: rule, Action: "allow"}}, Request{Kind: "execute", Cwd: "/", Command: command}); v.Action != "ask" {
					t.Errorf("%s: got %s", command, v.Action)
				}
			}
		}
		if v := Judge([]Rule{{Command: rule, Action: "allow"}}, Request{Kind: "execute", Cwd: "/", Command: rule + " --silent='$(PWN)'"}); v.Action != "ask" {
			t.Errorf("%s --silent: got %s", rule, v.Action)
		}
	}
	for _, command := range []string{"npm test | src/a-b_c.test.ts", "npm test | -- --testNamePattern=x", "npm view | '@types/node@^18'", "make | -j4 test", "just test | a/b.c", "yarn test | --json"} {
		rule, rest, _ := strings.Cut(command, " | ")
		if v := Judge([]Rule{{Command: rule, Action: "allow"}}, Request{Kind: "execute", Cwd: "/", Command: rule + " " + rest}); v.Action != "allow" {
			t.Errorf("%s: got %s: %s", command, v.Action, v.Why)
		}
	}
	r := Request{Kind: "execute", Cwd: "/", Command: "npm run lint 'src/**/*.ts'"}
	if offers := Suggest(r); len(offers) != 1 || offers[0].String() != `allow: command npm run lint src/\*\*/\*.ts` || Judge(offers[0], r).Action != "allow" {
		t.Errorf("offered %v", offers)
	}
}
