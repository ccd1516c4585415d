<?php

// Loads the classes of the client without Composer: require '…/sdk/php/autoload.php'.
spl_autoload_register(function (string $class): void {
    if (preg_match('/^Postrider\\\\(\w+)$/', $class, $found) === 1 && is_file(__DIR__ . "/src/$found[1].php")) {
        require __DIR__ . "/src/$found[1].php";
    }
});
