module github.com/dispatchd/dispatchd/tools/licenses

go 1.26.3
