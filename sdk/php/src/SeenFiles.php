<?php

declare(strict_types=1);

namespace Postrider;

/**
 * The ids of events in a folder, with an empty file for each, for receivers without a database. Those of a day are in a folder of
 * their own, which is deleted when it is too old.
 */
final class SeenFiles implements SeenIds
{
    /**
     * @param string $folder one of its own, which only this class writes to
     * @param int $days how long an id is remembered; the service sends an event again for three days, and longer only when it is asked to
     */
    public function __construct(
        private readonly string $folder,
        private readonly int $days = 7,
    ) {
    }

    public function has(string $id): bool
    {
        for ($age = 0; $age <= $this->days; $age++) {
            if (is_file($this->place($age, $id))) {
                return true;
            }
        }
        return false;
    }

    public function add(array $ids): void
    {
        foreach ($ids as $id) {
            $place = $this->place(0, $id);
            $folder = dirname($place);
            // Another request may make it at the same time.
            if (!is_dir($folder) && !@mkdir($folder, 0o700, true) && !is_dir($folder)) {
                throw new \RuntimeException("The folder $folder cannot be made");
            }
            if (!touch($place)) {
                throw new \RuntimeException("The file $place cannot be written");
            }
        }
        $this->deleteOld();
    }

    private function place(int $age, string $id): string
    {
        $hash = hash('sha256', $id);
        return "$this->folder/" . self::day($age) . '/' . substr($hash, 0, 2) . "/$hash";
    }

    private function deleteOld(): void
    {
        foreach (scandir($this->folder) ?: [] as $day) {
            if (preg_match('/^\d{4}-\d\d-\d\d$/D', $day) === 1 && $day < self::day($this->days)) {
                foreach (glob("$this->folder/$day/*/*") ?: [] as $file) {
                    @unlink($file);
                }
                foreach (glob("$this->folder/$day/*") ?: [] as $part) {
                    @rmdir($part);
                }
                @rmdir("$this->folder/$day");
            }
        }
    }

    private static function day(int $age): string
    {
        return gmdate('Y-m-d', time() - 86_400 * $age);
    }
}
